/** System backups: the resources of a cluster at a target, and their restore. */
package dev.holdfast.backup.internal.system;
