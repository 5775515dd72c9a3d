'use strict';
// Tables can be sorted by any column; without this script they stand in the order of the report.
for (const table of document.querySelectorAll('table.sortable')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute('aria-sort', 'none');
    button.addEventListener('click', () => {
      // Numbers begin with the largest, words with the first.
      const numeric = head.classList.contains('n');
      const before = head.getAttribute('aria-sort');
      const next = before === 'none' ? (numeric ? 'descending' : 'ascending') : before === 'ascending' ? 'descending' : 'ascending';
      heads.forEach(other => other.hasAttribute('aria-sort') && other.setAttribute('aria-sort', 'none'));
      head.setAttribute('aria-sort', next);
      const cell = row => row.cells[column];
      const order = (a, b) => numeric ? Number(cell(a).dataset.v ?? -Infinity) - Number(cell(b).dataset.v ?? -Infinity)
        : cell(a).textContent.localeCompare(cell(b).textContent, 'en', { numeric: true });
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort((a, b) => next === 'ascending' ? order(a, b) : order(b, a)));
    });
  });
}
// A link into a closed section opens it.
const unfold = () => document.querySelectorAll(':target > details').forEach(d => { d.open = true; });
addEventListener('hashchange', unfold);
unfold();
addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(d => { d.open = true; }));
