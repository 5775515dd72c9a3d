use super::*;

fn rows(text: &str) -> Vec<Row> {
    let row = |(at, line): (usize, &str)| {
        let mut row = Row { line: at + 1, ..Row::default() };
        line.split(',').for_each(|cell| row.push_text(cell));
        row
    };
    text.lines().enumerate().map(row).collect()
}

fn is_names(text: &str) -> bool {
    let rows = rows(text);
    let names: Vec<String> = rows[0].cells().map(Cow::into_owned).collect();
    let columns = known_ends(&names).unwrap_or([0, 1]);
    first_row(&rows[0], &rows[1..], &columns) != FirstRow::Data
}

#[test]
fn headers_of_text_ids_are_found() {
    for text in [
        "user,item\nann,dune\nbob,dune",
        "follower,followee\nann,bob",
        "User ID,Item ID\nx,y",
        "who,whom\n1,2",
        "u,v\na,b\nb,c",
        "shop,customer\ns1,c7\ns2,c8",
        "sender mail,receiver mail\na@b.c,d@e.f\ng@h.i,a@b.c",
        "lender,borrower\nAnn,Bob\nBob,Cyd",
        "lender,borrower,amount\nann,bob,5\nbob,cyd,7",
        "weight,source,target\n1,a,b",
        "user,film\nann,dune\nbob,dune",
    ] {
        assert!(is_names(text), "{text}");
    }
}

#[test]
fn first_edges_of_lists_without_a_header_stay_edges() {
    for text in [
        "ann,bob\nbob,cyd\ncyd,ann",
        "ann,bob\ncyd,dan\ndan,eve",
        "u,v\nv,w\nw,u",
        "node,edge\nedge,graph\ngraph,node",
        "n0,n1\nn1,n2",
        "Ann,Bob\nbob,cyd\ncyd,eve",
        "ann,bob,0.5\nbob,cyd,1",
        "1,2\n2,3",
        "ann,7\nbob,8",
        "who,whom\nann,bob\nbob,cyd",
    ] {
        assert!(!is_names(text), "{text}");
    }
}

#[test]
fn matrices_are_found() {
    assert!(is_adjacency(&rows("0,1,0\n1,0,1\n0,1,0")));
    assert!(is_adjacency(&rows("0,2.5,0\n2.5,0,3\n0,3,0")));
    assert!(!is_adjacency(&rows("0,1,5\n1,2,4\n2,0,3")));
    assert!(!is_adjacency(&rows("0,1,1\n1,0,1")));
}
