/** The attacher type of backups. */
package dev.holdfast.attacher.backup.internal;
