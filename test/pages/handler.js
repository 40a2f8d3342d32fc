// Its click takes `ms` of the query, in a function with a name.
const ms = Number(new URLSearchParams(location.search).get('ms'));
document.querySelector('#search').addEventListener('click', function onSearch() {
  const end = performance.now() + ms;
  while (performance.now() < end);
  document.querySelector('#out').textContent += 'found ';
});
