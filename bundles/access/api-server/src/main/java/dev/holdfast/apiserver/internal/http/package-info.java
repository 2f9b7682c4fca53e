/** Requests, answers and Status objects of the API, and the listener that serves them. */
package dev.holdfast.apiserver.internal.http;
