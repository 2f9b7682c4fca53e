/** The HTTP server, and the requests, answers and Status objects of the API. */
package dev.holdfast.apiserver.internal.http;
