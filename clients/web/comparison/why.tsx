import type { ComponentChildren } from 'preact';
import type { Explanation, RequestChange, RequestList } from '../../../shared/explanation/schema.ts';
import { grouped } from '../../../shared/text.ts';
import { interactionParts } from '../../words/explanation.ts';
import { metricNames, metrics, textOf } from '../../words/numbers.ts';
import { DataTable } from '../ui/data-table.tsx';

/** The changes between two results of a region, behind the sentence that says why. */
export const WhatChanged = ({ region, explanation }: { region: string; explanation: Explanation }) => (
  <details>
    <summary>What changed: points, requests, scripts and audits</summary>
    <Changes
      id={`${region}-points`}
      title="Points of the performance score"
      columns={['Metric', 'Before', 'After', 'Points']}
    >
      {explanation.points.map(({ metric, base, value, points }) => (
        <tr key={metric}>
          <th scope="row">{nameOf(metric)}</th>
          <td>{valueText(metric, base)}</td>
          <td>{valueText(metric, value)}</td>
          <td>{pointsText(points)}</td>
        </tr>
      ))}
    </Changes>
    <Requests id={`${region}-requests`} explanation={explanation} />
    <LcpElement id={`${region}-lcp`} explanation={explanation} />
    <Changes
      id={`${region}-scripts`}
      title="Main thread"
      columns={['Script', 'Before', 'After']}
      omitted={explanation.omitted.mainThread}
    >
      {explanation.mainThread.map(({ url, baseMs, ms }) => (
        <tr key={url}>
          <th scope="row" class="break">
            <bdi>{url}</bdi>
          </th>
          <td>{timeText(baseMs)}</td>
          <td>{timeText(ms)}</td>
        </tr>
      ))}
    </Changes>
    <Changes
      id={`${region}-interactions`}
      title="Interactions"
      columns={['Interaction', 'Event or script', 'Before', 'After']}
    >
      {interactionParts(explanation).map(({ name, what, before, after }) => (
        <tr key={`${name} ${what}`}>
          <th scope="row">
            <bdi>{name}</bdi>
          </th>
          <td class="break">
            <bdi>{what}</bdi>
          </td>
          <td>{before}</td>
          <td>{after}</td>
        </tr>
      ))}
    </Changes>
    <Changes id={`${region}-audits`} title="Audits" columns={['Audit', 'Now']} omitted={explanation.omitted.audits}>
      {explanation.audits.map(({ audit, title, outcome }) => (
        <tr key={audit}>
          <th scope="row">{title}</th>
          <td>{outcome === 'failed' ? <span class="poor">✗ fails</span> : <span class="pass">✔ passes</span>}</td>
        </tr>
      ))}
    </Changes>
    <Changes
      id={`${region}-elements`}
      title="Elements"
      columns={['Audit', 'Element', 'Now']}
      omitted={explanation.omitted.elements}
    >
      {explanation.elements.map(({ audit, title, selector, snippet, url, change }) => (
        <tr key={`${audit} ${selector} ${snippet} ${url}`}>
          <th scope="row">{title}</th>
          <td class="break">
            <bdi>{selector ?? url ?? snippet}</bdi>
          </td>
          <td>{change}</td>
        </tr>
      ))}
    </Changes>
  </details>
);

type ChangesProps = {
  id: string;
  title: string;
  columns: readonly string[];
  omitted?: number | undefined; // further changes, which the answer leaves out
  children: readonly ComponentChildren[];
};

/** A list of changes. Nothing if it is empty. */
const Changes = ({ id, title, columns, omitted = 0, children }: ChangesProps) =>
  children.length === 0 ? null : (
    <>
      <h3 id={id}>{title}</h3>
      <DataTable labelled={id} columns={columns}>
        {children}
      </DataTable>
      {omitted > 0 && <p class="muted">and {omitted} more</p>}
    </>
  );

const LcpElement = ({ id, explanation: { lcpElement } }: { id: string; explanation: Explanation }) => (
  <Changes id={id} title="Element of the largest contentful paint" columns={['Before', 'After']}>
    {lcpElement?.changed
      ? [
          <tr key="element">
            <td class="break">
              <bdi>{elementText(lcpElement.base)}</bdi>
            </td>
            <td class="break">
              <bdi>{elementText(lcpElement.value)}</bdi>
            </td>
          </tr>,
        ]
      : []}
  </Changes>
);

const elementText = ({ selector, snippet }: { selector: string | null; snippet: string | null }): string =>
  selector ?? snippet ?? '–';

const lists: Record<RequestList, string> = {
  added: 'new',
  gone: 'gone',
  larger: 'larger',
  smaller: 'smaller',
  slower: 'slower',
  faster: 'faster',
};
const listNames = Object.keys(lists) as RequestList[];

const Requests = ({ id, explanation: { requests, omitted } }: { id: string; explanation: Explanation }) => (
  <Changes
    id={id}
    title="Requests"
    columns={['Change', 'Request', 'Size', 'Time']}
    omitted={listNames.reduce((sum, list) => sum + (omitted[`requests.${list}`] ?? 0), 0)}
  >
    {listNames.flatMap((list) =>
      requests[list].map((request) => (
        <tr key={`${list} ${request.url}`}>
          <td>{lists[list]}</td>
          <th scope="row" class="break">
            <bdi>{request.url}</bdi> <span class="muted">{kindOf(request)}</span>
          </th>
          <td>{beforeAfter(request.baseBytes, request.bytes, sizeText)}</td>
          <td>{beforeAfter(request.baseMs, request.ms, timeText)}</td>
        </tr>
      )),
    )}
  </Changes>
);

const kindOf = ({ type, thirdParty, blocking }: RequestChange): string =>
  [type.toLowerCase(), thirdParty && 'third party', blocking && 'blocks the first paint'].filter(Boolean).join(', ');

const metricOf = (metric: string) => metrics.find((each) => each === metric);

const nameOf = (metric: string): string => {
  const known = metricOf(metric);
  return known ? metricNames[known] : metric;
};

const valueText = (metric: string, value: number | null): string => {
  const known = metricOf(metric);
  return value === null || !known ? '–' : textOf(known, value);
};

const pointsText = (points: number): string => `${points < 0 ? '−' : '+'}${Math.abs(points).toFixed(1)}`;

const timeText = (ms: number | null): string => (ms === null ? '–' : `${Math.round(ms)} ms`);

const sizeText = (bytes: number | null): string => (bytes === null ? '–' : `${grouped(Math.round(bytes / 1024))} KiB`);

const beforeAfter = (base: number | null, value: number | null, text: (value: number | null) => string): string =>
  base === null || value === null ? text(base ?? value) : `${text(base)} → ${text(value)}`;
