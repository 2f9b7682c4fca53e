/** Threads on which requests are handled, and how many may wait for them. */
package dev.holdfast.http.internal.work;
