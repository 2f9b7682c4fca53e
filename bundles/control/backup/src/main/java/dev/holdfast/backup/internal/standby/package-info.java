/**
 * Standby volumes, to which the backups of another cluster are applied until they are activated.
 */
package dev.holdfast.backup.internal.standby;
