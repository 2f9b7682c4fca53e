/** Collection of the files of support bundles, and removal of secrets from them. */
package dev.holdfast.support.internal.pack;
