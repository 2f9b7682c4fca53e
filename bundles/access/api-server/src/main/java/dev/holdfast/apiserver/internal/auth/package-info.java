/** Authentication and rights of callers, and the endpoint by which nodes join the cluster. */
package dev.holdfast.apiserver.internal.auth;
