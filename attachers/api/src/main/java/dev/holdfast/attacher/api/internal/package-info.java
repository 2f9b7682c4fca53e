/** The attacher of tickets that users create. */
package dev.holdfast.attacher.api.internal;
