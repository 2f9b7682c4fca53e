package dev.holdfast.rules;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Collects what the rules need from the syntax tree of one file. */
final class SourceVisitor extends TreeScanner<Void, Void> {
  private final CompilationUnitTree unit;
  private final TypeReader typeReader;
  private final Set<String> imports = new TreeSet<>();
  private final Set<String> names = new TreeSet<>();
  private final Set<String> qualified = new TreeSet<>();
  private final List<String> literals = new ArrayList<>();
  private final List<JavaType> types = new ArrayList<>();
  private boolean exported;
  private int depth;

  SourceVisitor(CompilationUnitTree unit, SourcePositions positions) {
    this.unit = unit;
    this.typeReader = new TypeReader(unit, positions);
  }

  JavaFile file(String path, String module, boolean main, int lines) {
    Tree packageName = unit.getPackageName();
    return new JavaFile(
        path,
        module,
        main,
        packageName == null ? "" : packageName.toString(),
        exported,
        lines,
        imports,
        names,
        qualified,
        literals,
        types);
  }

  @Override
  public Void visitPackage(PackageTree tree, Void unused) {
    for (AnnotationTree annotation : tree.getAnnotations()) {
      exported |= annotation.getAnnotationType().toString().endsWith("Export");
    }
    return null;
  }

  @Override
  public Void visitImport(ImportTree tree, Void unused) {
    imports.add(tree.getQualifiedIdentifier().toString());
    return null;
  }

  @Override
  public Void visitClass(ClassTree tree, Void unused) {
    if (depth == 0) {
      types.add(typeReader.read(tree));
    }
    depth++;
    super.visitClass(tree, null);
    depth--;
    return null;
  }

  @Override
  public Void visitIdentifier(IdentifierTree tree, Void unused) {
    if (Character.isUpperCase(tree.getName().charAt(0))) {
      names.add(tree.getName().toString());
    }
    return null;
  }

  @Override
  public Void visitMemberSelect(MemberSelectTree tree, Void unused) {
    String name = tree.toString();
    if (name.matches("(?:[a-z]\\w*\\.)+[A-Z]\\w*")) {
      qualified.add(name);
    }
    return super.visitMemberSelect(tree, null);
  }

  @Override
  public Void visitLiteral(LiteralTree tree, Void unused) {
    if (tree.getValue() instanceof String text) {
      literals.add(text);
    }
    return null;
  }
}
