import puppeteer from 'puppeteer-core';

/** Starts a browser that decodes pictures. */
export const openDecoder = async (executablePath: string) => {
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  const browser = await puppeteer.launch({ executablePath, headless: 'shell', args });
  const page = await browser.newPage();
  return {
    /** Returns the share of pixels that differ between two pictures, by their `data:` addresses. 1 if their sizes differ. */
    differenceOf: async (pictures: readonly [string, string]): Promise<number> =>
      pictures[0] === pictures[1] ? 0 : page.evaluate(countDifferent, pictures),
    close: () => browser.close(),
  };
};

/** Runs in the page. */
const countDifferent = async (pictures: readonly [string, string]): Promise<number> => {
  const read = async (address: string) => {
    const bitmap = await createImageBitmap(await (await fetch(address)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext(
      '2d',
    ) as OffscreenCanvasRenderingContext2D;
    context.drawImage(bitmap, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    return { pixels: new Uint32Array(data.buffer), width, height };
  };
  const [one, other] = [await read(pictures[0]), await read(pictures[1])];
  if (one.width !== other.width || one.height !== other.height) return 1;
  return one.pixels.filter((pixel, i) => pixel !== other.pixels[i]).length / one.pixels.length;
};
