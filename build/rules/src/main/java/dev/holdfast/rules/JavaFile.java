package dev.holdfast.rules;

import java.util.List;
import java.util.Set;

/**
 * A Java source file.
 *
 * @param path relative to the root of the tree
 * @param module folder of its module
 * @param main whether it belongs to the module's main code
 * @param exported whether it is a {@code package-info.java} that exports its package
 * @param imports names as the import declarations have them, without {@code static}
 * @param names simple names that the code uses and that start with a capital letter
 * @param qualified names with their package that stand in the code
 */
record JavaFile(
    String path,
    String module,
    boolean main,
    String packageName,
    boolean exported,
    int lines,
    Set<String> imports,
    Set<String> names,
    Set<String> qualified,
    List<String> literals,
    List<JavaType> types) {

  String simpleName() {
    String file = path.substring(path.lastIndexOf('/') + 1);
    return file.substring(0, file.length() - ".java".length());
  }

  String qualifiedName() {
    return packageName + "." + simpleName();
  }
}
