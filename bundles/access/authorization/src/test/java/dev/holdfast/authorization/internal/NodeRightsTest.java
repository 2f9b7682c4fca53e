package dev.holdfast.authorization.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.BuiltInRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeRightsTest {
  private static boolean mayGet(String path) {
    return NodeRights.decide("node-2", AccessRequest.ofPath("get", path)).allowed();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/store/copy", "/support/bundle", "/support/audit"})
  void nodeReadsNeitherTheStoreAsAFileNorFilesOfOtherNodes(String path) {
    assertThat(mayGet(path)).isFalse();
  }

  @Test
  void nodeReadsOtherDocuments() {
    assertThat(mayGet("/metrics")).isTrue();
  }

  @Test
  void onlyAdministratorsCopyTheStore() {
    AccessRequest copy = AccessRequest.ofPath("get", "/store/copy");
    for (BuiltInRole role : BuiltInRole.values()) {
      assertThat(role.rules().stream().anyMatch(rule -> rule.permits(copy)))
          .as(role.roleName())
          .isEqualTo(role == BuiltInRole.ADMIN);
    }
  }
}
