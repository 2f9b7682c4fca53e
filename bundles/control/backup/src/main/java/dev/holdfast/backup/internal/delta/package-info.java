/** Differences of a backup from the one whose content a volume has. */
package dev.holdfast.backup.internal.delta;
