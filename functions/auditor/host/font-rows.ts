/** The fonts of all audits, by their npm package. Their licence is the SIL Open Font License. */
export const fontRows: Readonly<Record<string, readonly string[]>> = {
  // These three have the widths of Arial, Times New Roman and Courier New, which most pages name.
  '@expo-google-fonts/arimo': [
    '400Regular/Arimo_400Regular.ttf',
    '400Regular_Italic/Arimo_400Regular_Italic.ttf',
    '700Bold/Arimo_700Bold.ttf',
    '700Bold_Italic/Arimo_700Bold_Italic.ttf',
  ],
  '@expo-google-fonts/tinos': [
    '400Regular/Tinos_400Regular.ttf',
    '400Regular_Italic/Tinos_400Regular_Italic.ttf',
    '700Bold/Tinos_700Bold.ttf',
    '700Bold_Italic/Tinos_700Bold_Italic.ttf',
  ],
  '@expo-google-fonts/cousine': [
    '400Regular/Cousine_400Regular.ttf',
    '400Regular_Italic/Cousine_400Regular_Italic.ttf',
    '700Bold/Cousine_700Bold.ttf',
    '700Bold_Italic/Cousine_700Bold_Italic.ttf',
  ],
  // Chromium makes bold text from the regular weight. The width of these characters is the same in both.
  '@embedpdf/fonts-sc': ['fonts/NotoSansHans-Regular.otf'], // has the traditional characters too
  '@embedpdf/fonts-jp': ['fonts/NotoSansJP-Regular.otf'],
  '@embedpdf/fonts-kr': ['fonts/NotoSansKR-Regular.otf'],
  '@expo-google-fonts/noto-sans-arabic': [
    '400Regular/NotoSansArabic_400Regular.ttf',
    '700Bold/NotoSansArabic_700Bold.ttf',
  ],
  '@expo-google-fonts/noto-sans-devanagari': [
    '400Regular/NotoSansDevanagari_400Regular.ttf',
    '700Bold/NotoSansDevanagari_700Bold.ttf',
  ],
  '@expo-google-fonts/noto-sans-thai': ['400Regular/NotoSansThai_400Regular.ttf', '700Bold/NotoSansThai_700Bold.ttf'],
  '@expo-google-fonts/noto-color-emoji': ['400Regular/NotoColorEmoji_400Regular.ttf'],
};

/** Name of the file below in the folder of the fonts. */
export const FONT_CONFIG = 'fonts.conf';

/**
 * Fontconfig's settings, which name no other folder than their own. Japanese and Korean share characters with Chinese, so
 * the language of the text chooses among their fonts. Not every Chromium knows which fonts have the widths of the three usual ones.
 */
export const fontConfig = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <match>
    <test name="lang" compare="contains"><string>ja</string></test>
    <edit name="family" mode="append"><string>Noto Sans Japanese</string></edit>
  </match>
  <match>
    <test name="lang" compare="contains"><string>ko</string></test>
    <edit name="family" mode="append"><string>Noto Sans Korean</string></edit>
  </match>
  <alias binding="same"><family>Arial</family><accept><family>Arimo</family></accept></alias>
  <alias binding="same"><family>Helvetica</family><accept><family>Arimo</family></accept></alias>
  <alias binding="same"><family>Times New Roman</family><accept><family>Tinos</family></accept></alias>
  <alias binding="same"><family>Times</family><accept><family>Tinos</family></accept></alias>
  <alias binding="same"><family>Courier New</family><accept><family>Cousine</family></accept></alias>
  <alias binding="same"><family>Courier</family><accept><family>Cousine</family></accept></alias>
  <match><edit name="family" mode="append_last"><string>sans-serif</string></edit></match>
  <alias><family>serif</family><prefer><family>Tinos</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>Cousine</family></prefer></alias>
  <alias>
    <family>sans-serif</family>
    <prefer><family>Arimo</family><family>Noto Sans S Chinese</family></prefer>
  </alias>
</fontconfig>
`;
