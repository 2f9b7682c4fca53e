/**
 * Transfer of bytes between socket and session: plain and encrypted sockets, buffers, limits,
 * threads.
 */
package dev.holdfast.portal.internal.transport;
