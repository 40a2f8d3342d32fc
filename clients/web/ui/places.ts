import { useEffect, useState } from 'preact/hooks';
import { allRegions, type Region } from '../../../shared/regions.ts';
import type { RegionList } from '../../../shared/service/offer.ts';
import { isOnePlace } from '../../words/places.ts';
import { readBody } from '../requests/requests.ts';

type Places = ReadonlyMap<Region, string>;

let loading: Promise<Places> | undefined;
/** The service writes its place into the page if all regions are there, so that no view changes when the regions arrive. */
const place = globalThis.document?.documentElement.dataset.place;
let known: Places = new Map(place ? allRegions.map((id) => [id, place]) : []);

/** Reads the places once for all views. A view shows a region without its place if that fails. */
const load = () => {
  loading ??= readBody<RegionList>('/v1/regions').then(
    ({ regions }) => (known = new Map(regions.map(({ id, place }) => [id, place]))),
    () => {
      loading = undefined;
      return known;
    },
  );
  return loading;
};

/** Returns where each region of the service is, as far as this is known. */
export const usePlaces = (): Places => {
  const [places, setPlaces] = useState(known);
  useEffect(() => void load().then(setPlaces), []);
  return places;
};

/** Returns true if several regions are one place, so that a comparison of them says nothing. */
export const areOnePlace = (places: Places, runs: readonly { region: Region }[]): boolean =>
  runs.length > 1 && new Set(runs.map(({ region }) => places.get(region) ?? region)).size === 1;

/** Returns the name of the region of a single result: its place, if the service has one place only. */
export const nameOfPlace = (places: Places, region: Region): string =>
  hasOnePlace(places) ? (places.get(region) ?? region) : region;

/** Returns true if the regions of results say something: there are several, or the service has several places. */
export const showsRegions = (places: Places, results: readonly { region: Region }[]): boolean =>
  !hasOnePlace(places) || new Set(results.map(({ region }) => region)).size > 1;

/** Returns how to name the regions of results. */
export const namerOf = (places: Places, results: readonly { region: Region }[]) =>
  showsRegions(places, results) ? (region: Region): string => region : (region: Region) => nameOfPlace(places, region);

/** Returns how to name the regions of results that a view shows together. */
export const useNamer = (results: readonly { region: Region }[]) => namerOf(usePlaces(), results);

export const hasOnePlace = (places: Places): boolean => isOnePlace([...places.values()]);

/** Returns the name of a region with its place, such as `us-west1 (Oregon, USA)`. */
export const withPlace = (places: Places, region: Region): string => {
  const place = places.get(region);
  return place ? `${region} (${place})` : region;
};
