/** Resources in the API server of a Kubernetes cluster, and their definitions. */
package dev.holdfast.store.kubernetes.internal;
