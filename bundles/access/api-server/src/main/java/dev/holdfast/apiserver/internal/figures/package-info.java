/** Counts and times of the requests to the server. */
package dev.holdfast.apiserver.internal.figures;
