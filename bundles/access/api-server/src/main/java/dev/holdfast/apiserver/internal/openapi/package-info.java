/** Discovery and the OpenAPI document: the kinds that the server describes to its clients. */
package dev.holdfast.apiserver.internal.openapi;
