/** The directory of clients of volumes. */
package dev.holdfast.access.clients.internal;
