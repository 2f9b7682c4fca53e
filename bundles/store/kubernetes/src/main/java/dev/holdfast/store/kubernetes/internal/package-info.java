/** Resources in the API server of a Kubernetes cluster, and their definitions there. */
package dev.holdfast.store.kubernetes.internal;
