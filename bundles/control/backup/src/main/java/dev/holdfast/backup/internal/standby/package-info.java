/** Volumes that follow the backups of another cluster until they are activated. */
package dev.holdfast.backup.internal.standby;
