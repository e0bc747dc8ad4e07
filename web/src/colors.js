/** Colours that people of all kinds of colour vision tell apart (Okabe and Ito). */

/** Of curves on a light and on a dark page. */
export const curves = {
  light: ['#0072b2', '#d55e00', '#009e73', '#b5569a', '#9a6a00', '#2a8fc7', '#333333', '#7a7a7a'],
  dark: ['#56b4e9', '#ff8b3d', '#2fd0a0', '#e39ac8', '#f0c04a', '#9ad4f5', '#e6e6e6', '#a8a8a8'],
};

/** Of the second and further results in the view. */
export const ghosts = ['#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];

/** Dashes of the second and further results, in plots. */
export const dashes = [[], [8, 4], [3, 3], [10, 3, 2, 3], [2, 6]];
