/** Decisions about single objects of backup targets. */
package dev.holdfast.backup.internal.objects;
