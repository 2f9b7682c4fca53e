/** Joins the content of a backup with that of the image below it. */
package dev.holdfast.backup.internal.flatten;
