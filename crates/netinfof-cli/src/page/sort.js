'use strict';
// Tables can be sorted by any column; without this script they stand in the order of the report.
for (const table of document.querySelectorAll('table.sortable')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute('aria-sort', 'none');
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') === 'descending';
      heads.forEach(other => other.setAttribute('aria-sort', 'none'));
      head.setAttribute('aria-sort', down ? 'ascending' : 'descending');
      const value = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
      const number = row => row.cells[column].dataset.v === undefined ? NaN : Number(row.cells[column].dataset.v);
      const order = (a, b) => (number(a) - number(b)) || value(a).localeCompare(value(b));
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort((a, b) => down ? order(a, b) : order(b, a)));
    });
  });
}
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(d => { d.open = true; }));
