// @ts-check
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useFocus } from './focus.js';
import { html } from './html.js';
import { KeyButton, KeyPrompt } from './parts/key.js';
import { useRoute } from './router.js';
import { askForKey } from './session.js';

/** The views by route. The browser loads a view when it is first shown. */
const views = {
  home: () => import('./views/home.js').then(({ HomePage }) => HomePage),
  check: () => import('./views/check.js').then(({ CheckPage }) => CheckPage),
  run: () => import('./views/run.js').then(({ RunPage }) => RunPage),
  trend: () => import('./views/trend.js').then(({ TrendPage }) => TrendPage),
  comparison: () => import('./views/comparison.js').then(({ ComparisonPage }) => ComparisonPage),
  unknown: () => import('./views/not-found.js').then(({ NotFoundPage }) => NotFoundPage),
};

/** @param {keyof typeof views} name */
const useView = (name) => {
  const [loaded, setLoaded] = useState(/** @type {{ name?: string, View?: any, failed?: boolean }} */ ({}));
  useEffect(() => {
    views[name]().then(
      (View) => setLoaded({ name, View }),
      () => setLoaded({ name, failed: true }),
    );
  }, [name]);
  return loaded.name === name ? loaded : {};
};

const App = () => {
  const route = useRoute();
  const { View, failed } = useView(route.name);
  useFocus(View && route.key);
  useEffect(() => askForKey(null), [route.key]); // the new view may need no key
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
    <${KeyPrompt} />
    <main id="main" tabindex="-1">
      ${View && html`<${View} key=${route.key} ...${route.params} query=${route.query} />`}
      ${failed && html`<h1>This view did not load</h1><p>The connection failed, or the service has a new version. <a href=${location.href} target="_self">Reload the page.</a></p>`}
    </main>
  `;
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
