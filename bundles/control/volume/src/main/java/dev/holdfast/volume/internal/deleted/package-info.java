/** Content of deleted volumes, which is kept, given back or removed. */
package dev.holdfast.volume.internal.deleted;
