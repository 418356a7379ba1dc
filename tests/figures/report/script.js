// SPDX-License-Identifier: GPL-2.0
'use strict';
(() => {
	const MANY = 500;	// more cases than this are only counted
	const words = document.getElementById('words');
	const failures = [...document.querySelectorAll('.failure')];
	const suites = [...document.querySelectorAll('.suite')].map(head => ({
		head, button: head.querySelector('button'), body: head.nextElementSibling,
	}));

	const expand = (suite, open) => {
		suite.body.hidden = !open;
		suite.button.setAttribute('aria-expanded', open);
	};

	// The text of the cases, read when it is first needed.
	let rows;
	const read = () => rows ??= suites.map(suite => [...suite.body.rows].map(row => ({
		row, text: `${suite.button.textContent} ${row.cells[0].textContent}`.toLowerCase(), states: row.dataset.s.split(' '),
	})));

	const filter = () => {
		const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
		const state = document.getElementById('state').value;
		const fits = (text, states) => (!state || states.includes(state)) && wanted.every(word => text.includes(word));
		const all = !state && !wanted.length;
		const found = read().map(each => each.filter(row => fits(row.text, row.states)));
		const total = found.reduce((sum, each) => sum + each.length, 0);
		suites.forEach((suite, i) => {
			const shown = new Set(found[i]);
			for (const row of rows[i])
				row.row.hidden = !shown.has(row);
			suite.head.hidden = !shown.size;
			expand(suite, !all && shown.size && total <= MANY);
		});
		for (const failure of failures)
			failure.hidden = !fits(failure.dataset.name, failure.dataset.states.split(' '));
		document.getElementById('found').value = all ? '' : `${total} case${total === 1 ? '' : 's'}`;
	};

	if (words) {
		for (const suite of suites)
			suite.button.addEventListener('click', () => expand(suite, suite.body.hidden));
		document.getElementById('filter').addEventListener('submit', event => event.preventDefault());
		document.getElementById('filter').addEventListener('input', filter);
		addEventListener('keydown', event => {
			if (event.key === '/' && !event.target.closest('input, select')) {
				event.preventDefault();
				words.focus();
			} else if (event.key === 'Escape' && event.target.closest('#filter')) {
				words.value = document.getElementById('state').value = '';
				filter();
			}
		});
	}

	// A link into a folded part opens it.
	const reveal = () => {
		const target = document.getElementById(location.hash.slice(1));
		for (let part = target; part; part = part.parentElement?.closest('details'))
			if (part.tagName === 'DETAILS')
				part.open = true;
		target?.scrollIntoView();
	};
	addEventListener('hashchange', reveal);
	reveal();
})();
