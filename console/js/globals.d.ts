/** The text of the files in css/, put before the modules when they are put together. */
declare const APP_CSS: string;
