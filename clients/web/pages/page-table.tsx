import { useMemo } from 'preact/hooks';
import type { Device, Region } from '../../../shared/name-schemas.ts';
import type { Page, PageResult } from '../../../shared/pages/pages.ts';
import { counted } from '../../words/numbers.ts';
import { sinceText } from '../../words/pages.ts';
import { GroupedTable } from '../ui/data-table.tsx';
import { useSteps } from '../ui/steps.ts';
import { isolated } from '../ui/title.ts';
import { PageChange, PageInteraction, PageScore, Sparkline } from './page-result.tsx';

/** Parts of a URL by which pages can be grouped. */
export const groupings = ['host', 'path'] as const;

type Props = { pages: readonly Page[]; since: string; group: string | null };

/** A row for each page, with a column for each device. Groups have a heading each. */
export const PageTable = ({ pages, since, group }: Props) => {
  const all = pages.flatMap(({ results }) => results);
  const shownDevices = (['mobile', 'desktop'] as const).filter((name) => all.some(({ device }) => device === name));
  const regions = new Set(all.map(({ region }) => region));
  const hasRegions = regions.size > 1;
  const style = { '--devices': `${shownDevices.length}`, '--scores': `${hasRegions ? 120 * regions.size : 88}px` };
  const columns = ['Page', ...shownDevices, `Change ${sinceText(since)}`, 'Last results'];
  const groups = groupsOf(pages, group);
  const count = useSteps(pages.length);
  let shown = 0;
  return (
    <GroupedTable labelled="pages" columns={columns} class="list pages" style={style}>
      {[...groups].map(([name, members]) => {
        const part = members.slice(0, Math.max(0, count - shown));
        shown += members.length;
        if (part.length === 0) return null;
        return (
          <tbody key={name}>
            {group && (
              <tr class="group">
                <th scope="rowgroup" colSpan={columns.length}>
                  <bdi>{name}</bdi> <span class="muted">{counted(members.length, 'page')}</span>
                </th>
              </tr>
            )}
            {part.map((page) => (
              <Row key={page.url} page={page} devices={shownDevices} hasRegions={hasRegions} />
            ))}
          </tbody>
        );
      })}
    </GroupedTable>
  );
};

/** Returns the pages by a part of their URL. The groups are in the order of their first pages. */
const groupsOf = (pages: readonly Page[], group: string | null): ReadonlyMap<string, Page[]> =>
  Map.groupBy(pages, ({ url }) => {
    const parsed = group ? URL.parse(url) : null;
    if (!parsed) return '';
    const [, folder = ''] = parsed.pathname.split('/');
    return group === 'path' ? `${parsed.host}/${folder}` : parsed.host;
  });

type RowProps = { page: Page; devices: readonly Device[]; hasRegions: boolean };

/** Renders a row again only if it changes, because the table renders all its rows again at each step. */
const Row = (props: RowProps) =>
  useMemo(() => <Cells {...props} />, [props.page, `${props.devices}`, props.hasRegions]);

const Cells = ({ page: { url, results }, devices, hasRegions }: RowProps) => {
  const main = mainOf(results);
  if (!main) return null;
  const isOne = results.length === 1;
  const place = [main.device, ...(hasRegions ? [main.region] : [])].join(', ');
  return (
    <tr>
      <td class="page">
        <a href={main.links.page} title={isolated(url)}>
          <bdi>{url.replace(/^https?:\/\//, '')}</bdi>
        </a>
      </td>
      {devices.map((device) => (
        <td key={device}>
          <Scores results={results.filter((each) => each.device === device)} hasRegions={hasRegions} />
        </td>
      ))}
      <td class="change">
        <PageChange result={main} place={isOne ? '' : place} />
      </td>
      <td>
        <Sparkline history={main.history} />
      </td>
    </tr>
  );
};

/** Returns the result that a row speaks of: one that got worse, else one that failed, got better, or is the first. */
const mainOf = (results: readonly PageResult[]): PageResult | undefined => {
  const has = (verdict: string) => results.find(({ change }) => change?.verdict === verdict);
  const failed = results.find(({ state }) => state === 'failed');
  return has('regressed') ?? failed ?? has('improved') ?? results.find(({ change }) => change) ?? results[0];
};

const Scores = ({ results, hasRegions }: { results: readonly PageResult[]; hasRegions: boolean }) => (
  <>
    {results.map((result) => (
      <span class="score" key={result.region}>
        <PageScore result={result} /> {hasRegions && <span class="muted">{shortRegion(result.region)}</span>}{' '}
        <PageInteraction result={result} />
      </span>
    ))}
  </>
);

/** Returns a short name of a region: `us-west1` stays, `australia-southeast1` becomes `australia`. */
const shortRegion = (region: Region): string => (region.length > 9 ? (region.split('-')[0] ?? region) : region);
