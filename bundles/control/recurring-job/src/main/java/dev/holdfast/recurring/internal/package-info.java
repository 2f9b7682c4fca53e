/** Implementation of the controller of recurring jobs. */
package dev.holdfast.recurring.internal;
