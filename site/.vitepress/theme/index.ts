import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import picture from '../../../docs/images/battle.jpg';
import './style.css';

const alt = 'A battle of 1,000 characters, each in its own clip, phase and blend';

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, { 'home-hero-image': () => h('img', { class: 'hero-picture', src: picture, alt }) }),
};
