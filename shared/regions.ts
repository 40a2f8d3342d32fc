/** The regions of the API and the AWS region behind each. To add a region, add a row. */
export const regions = {
  'us-west1': 'us-west-2',
  'us-east4': 'us-east-1',
  'europe-north1': 'eu-north-1',
  'europe-west3': 'eu-central-1',
  'asia-northeast1': 'ap-northeast-1',
  'australia-southeast1': 'ap-southeast-2',
} as const;

export type Region = keyof typeof regions;
export const allRegions = Object.keys(regions) as [Region, ...Region[]];
export const isRegion = (name: string): name is Region => name in regions;
