/** Files that nodes send each other for support: parts of a bundle, and audit logs. */
package dev.holdfast.support.internal.peer;
