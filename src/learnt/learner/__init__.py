"""What every learner is made of: settings, fitting, matching of columns, registration."""
