/** The resource store in one SQLite file. */
package dev.holdfast.store.embedded.internal;
