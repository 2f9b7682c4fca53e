/** JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386). */
package dev.holdfast.apiserver.internal.patch;
