/** The packed layout: chunks of 64 KiB in packs, with maps of changes. */
package dev.holdfast.backupstore.internal.packed;
