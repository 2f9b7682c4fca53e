/** Reads, writes, patches and watches of resources, and the views in which they are shown. */
package dev.holdfast.apiserver.internal.resources;
