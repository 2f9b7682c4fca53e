/** Writes backups of volumes, deletes them, and restores volumes from them. */
package dev.holdfast.backup.internal;
