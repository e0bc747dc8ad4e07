/** Pictures of the view of a page, alone, at a share of its time. */

export const [width, height] = [480, 320];

/**
 * @param {import('./browser.mjs').Page} page
 * @param {string} url
 * @param {number} share
 * @param {number} [turns] of a tenth of a radian, to the left
 * @returns {Promise<string>} a PNG as base64
 */
export async function takeView(page, url, share, turns = 0) {
  await page.open(url, 120000);
  await page.value(`(() => {
    const slider = document.querySelector('.scrub');
    slider.value = ${share};
    slider.dispatchEvent(new Event('input'));
    document.querySelector('.frame').style.cssText =
      'position: fixed; inset: 0 auto auto 0; width: ${width}px; height: ${height}px; z-index: 99';
  })()`);
  await page.settle();
  await page.value(`document.querySelector('.frame canvas').focus()`);
  for (let i = 0; i < turns; i++) await page.key('ArrowLeft');
  await page.press('Fit the view');
  const clip = { x: 0, y: 0, width, height, scale: 1 };
  const { data } = await page.send('Page.captureScreenshot', { format: 'png', clip });
  return data;
}
