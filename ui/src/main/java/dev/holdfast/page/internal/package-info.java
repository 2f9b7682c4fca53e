/** The web page: its files, sign-in by one-time address or token, and sessions of browsers. */
package dev.holdfast.page.internal;
