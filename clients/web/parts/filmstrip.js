// @ts-check
import { html } from '../html.js';
import { useLoaded } from '../loading.js';

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/**
 * The page while it loads.
 * @param {{ run: any, name?: string }} props
 */
export const Filmstrip = ({ run, name }) => {
  const { data, error } = useLoaded(run.links.filmstrip);
  if (!run.links.filmstrip) return null;
  if (error) return html`<p class="muted">${name}: no filmstrip. ${error.message}</p>`;
  const frames = data?.frames ?? [];
  const [first, last] = [frames[0], frames.at(-1)];
  return html`<figure class="filmstrip">
    <figcaption>
      ${name ?? 'Filmstrip'}${first && html`, <span class="number">${seconds(first.timing)} to ${seconds(last.timing)}</span>`}
    </figcaption>
    <div class="frames" tabindex="0" role="group" aria-label="Filmstrip of ${name ?? run.region}">
      ${frames.map(
        (/** @type {{ timing: number, image: string }} */ { timing, image }) => html`<div>
          <img src=${image} alt="The page after ${seconds(timing)}" height="120" />
          <span class="number">${seconds(timing)}</span>
        </div>`,
      )}
    </div>
  </figure>`;
};
