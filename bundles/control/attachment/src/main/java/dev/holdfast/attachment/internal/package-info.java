/** The attachment controller: which ticket gets the volume, and what became of the others. */
package dev.holdfast.attachment.internal;
