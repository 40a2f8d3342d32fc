// `formulas` comes from formulas.js, katex from its package.
for (const formula of formulas) {
  const paragraph = document.createElement('p');
  katex.render(formula, paragraph, { displayMode: true });
  document.getElementById('formulas').append(paragraph);
}
