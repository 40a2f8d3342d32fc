import { type ComponentType, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { keepLinksUnderBase } from './base.ts';
import { useFocus } from './focus.ts';
import { type Route, type RouteIds, useRoute } from './router.ts';
import { ErasureNote } from './session/erasure-note.tsx';
import { KeyButton, KeyPrompt } from './session/key.tsx';
import { askForKey } from './session/session.ts';
import { NotLoaded, useOnDemand } from './ui/on-demand.tsx';

type ViewProps = RouteIds & { query: URLSearchParams };

/** The views by route. The browser loads a view when it is first shown. */
const views: Record<Route['name'], () => Promise<ComponentType<ViewProps>>> = {
  home: () => import('./home/home.tsx').then(({ HomePage }) => HomePage),
  check: () => import('./check/check.tsx').then(({ CheckPage }) => CheckPage),
  run: () => import('./run/run.tsx').then(({ RunPage }) => RunPage),
  pages: () => import('./pages/pages.tsx').then(({ PagesPage }) => PagesPage),
  trend: () => import('./trend/trend.tsx').then(({ TrendPage }) => TrendPage),
  schedules: () => import('./schedules/schedules.tsx').then(({ SchedulesPage }) => SchedulesPage),
  webhooks: () => import('./webhooks/webhooks.tsx').then(({ WebhooksPage }) => WebhooksPage),
  comparison: () => import('./comparison/comparison.tsx').then(({ ComparisonPage }) => ComparisonPage),
  unknown: () => import('./not-found.tsx').then(({ NotFoundPage }) => NotFoundPage),
};

const App = () => {
  const route = useRoute();
  const { Part: View, failed } = useOnDemand(views[route.name]);
  useFocus(View && route.key);
  useEffect(() => askForKey(null), [route.key]); // the new view may need no key
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="/">
          <Logo />
          Page audit
        </a>
        <nav class="places" aria-label="Places">
          {places.map(({ path, name, routes }) => (
            <a key={path} href={path} aria-current={routes.includes(route.name) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <nav aria-label="Service">
          <a href="/webhooks">Webhooks</a>
          <a href="/docs">API</a>
          <KeyButton />
        </nav>
      </header>
      <OfflineNote />
      <KeyPrompt />
      <main id="main" tabIndex={-1}>
        {View && <View key={route.key} {...route.ids} query={route.query} />}
        {failed && (
          <>
            <h1>This view did not load</h1>
            <NotLoaded />
          </>
        )}
      </main>
      <ErasureNote />
    </>
  );
};

/** Links of the header, and the routes that belong to each. */
const places: readonly { path: string; name: string; routes: readonly Route['name'][] }[] = [
  { path: '/', name: 'Audit', routes: ['home', 'check', 'run', 'comparison'] },
  { path: '/pages', name: 'Pages', routes: ['pages', 'trend'] },
  { path: '/schedules', name: 'Schedules', routes: ['schedules'] },
];

const Logo = () => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <rect width="16" height="16" rx="3" fill="var(--link)" />
    <path
      d="M3 11.5l3-4 2.5 2L13 4"
      fill="none"
      stroke="var(--back)"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
);

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
  return (
    <div role="status">
      {!online && <p class="note">You are offline. The page shows what it has, and goes on when you are online.</p>}
    </div>
  );
};

const root = document.getElementById('page') as HTMLElement;
root.replaceChildren();
keepLinksUnderBase();
render(<App />, root);
