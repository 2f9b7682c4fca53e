/** Resources in an etcd. */
package dev.holdfast.store.etcd.internal;
