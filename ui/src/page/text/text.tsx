import { createContext, useContext, useMemo, useState, type ReactNode } from 'react';
import { IntlProvider, useIntl } from 'react-intl';
import { de } from './de';
import { en, type TextKey } from './en';

export type Language = 'en' | 'de';

const TEXTS: Record<Language, Record<TextKey, string>> = { en, de };
const STORED = 'holdfast.language';

const LanguageContext = createContext<{ language: Language; setLanguage: (language: Language) => void }>({
  language: 'en',
  setLanguage: () => undefined,
});

function firstLanguage(): Language {
  const wanted = localStorage.getItem(STORED) ?? navigator.language;
  return wanted.startsWith('de') ? 'de' : 'en';
}

/** Provides the texts in the user's language to its children. */
export function Texts({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  const value = useMemo(
    () => ({
      language,
      setLanguage: (next: Language) => {
        localStorage.setItem(STORED, next);
        setLanguage(next);
      },
    }),
    [language],
  );
  document.documentElement.lang = language;
  return (
    <LanguageContext.Provider value={value}>
      <IntlProvider locale={language} messages={TEXTS[language]}>
        {children}
      </IntlProvider>
    </LanguageContext.Provider>
  );
}

export function useLanguage() {
  return useContext(LanguageContext);
}

export type TextFunction = (key: TextKey, values?: Record<string, string | number>) => string;

/** Returns the function that formats the text of a key. */
export function useText(): TextFunction {
  const intl = useIntl();
  return useMemo(() => (key, values) => intl.formatMessage({ id: key }, values), [intl]);
}
