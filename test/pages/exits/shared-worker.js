fetch(decodeURIComponent(location.search.slice(1)), { mode: 'no-cors' });
