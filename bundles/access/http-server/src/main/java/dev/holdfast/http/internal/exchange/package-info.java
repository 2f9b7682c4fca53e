/** One request and its answer, over HTTP/1.1 or as a stream of HTTP/2. */
package dev.holdfast.http.internal.exchange;
