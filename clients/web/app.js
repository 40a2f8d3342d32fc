// @ts-check
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from './html.js';
import { KeyButton } from './parts/key.js';
import { useRoute } from './router.js';
import { CheckPage } from './views/check.js';
import { ComparisonPage } from './views/comparison.js';
import { HomePage } from './views/home.js';
import { NotFoundPage } from './views/not-found.js';
import { RunPage } from './views/run.js';
import { TrendPage } from './views/trend.js';

const views = {
  home: HomePage,
  check: CheckPage,
  run: RunPage,
  trend: TrendPage,
  comparison: ComparisonPage,
  unknown: NotFoundPage,
};

const App = () => {
  const route = useRoute();
  const View = views[route.name];
  useFocusOnNavigation(route.key);
  return html`
    <a class="skip" href="#main">Skip to the content</a>
    <header class="top">
      <a class="brand" href="/">Page audit</a>
      <nav aria-label="Service">
        <a href="/docs">API</a>
        <${KeyButton} />
      </nav>
    </header>
    <${OfflineNote} />
    <main id="main" tabindex="-1"><${View} key=${route.key} ...${route.params} query=${route.query} /></main>
  `;
};

/**
 * Moves the focus to the new view, so that a screen reader announces it.
 * @param {string} key
 */
const useFocusOnNavigation = (key) => {
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) document.getElementById('main')?.focus({ preventScroll: true });
    first.current = false;
  }, [key]);
};

const OfflineNote = () => {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    addEventListener('online', update);
    addEventListener('offline', update);
    return () => {
      removeEventListener('online', update);
      removeEventListener('offline', update);
    };
  }, []);
  return html`<div role="status">
    ${!online && html`<p class="note">You are offline. The page shows what it has, and goes on when you are online.</p>`}
  </div>`;
};

const root = /** @type {HTMLElement} */ (document.getElementById('page'));
root.replaceChildren();
render(html`<${App} />`, root);
